const express = require('express')
const multer = require('multer')

const storage = multer.diskStorage({
  destination: (req, file, done) => done(null, 'uploads/tmp'),
  filename: (req, file, done) => done(null, `${Date.now()}-${file.originalname}`),
})
const upload = multer({ storage })
const app = express()

app.get('/', (req, res) => { res.sendFile('drop.html', { root: __dirname }) })
app.post('/upload', upload.single('file'), (req, res) => { res.json({ name: req.file.filename }) })
app.listen(4309)
