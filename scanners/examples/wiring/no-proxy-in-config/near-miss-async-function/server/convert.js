import express from 'express'

const app = express()
app.get('/api/units', (req, res) => { res.json(['m', 'ft']) })
app.get('/export/units.csv', (req, res) => { res.type('csv').send('m\nft\n') })
app.listen(4151, '::1')
