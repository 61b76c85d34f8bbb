import express from 'express'
import multer from 'multer'

const upload = multer({ dest: 'var/receipts/incoming' })
const received = []
const app = express()

app.get('/', (req, res) => res.send('<!doctype html><form method="post" action="/upload" enctype="multipart/form-data"><input type="file" name="file"><button>Keep</button></form>'))
app.post('/upload', upload.single('file'), (req, res) => {
  received.push(req.file.originalname)
  res.json(received)
})
app.listen(4314)
