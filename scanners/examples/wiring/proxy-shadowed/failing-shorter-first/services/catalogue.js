import express from 'express'
const app = express()
app.get('/v1/products', (req, res) => res.json(['lamp']))
app.listen(4251)
