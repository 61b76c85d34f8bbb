const express = require('express'), app = express()
app.get('/api/menu', (req, res) => res.json([{ dish: 'Soup', price: 6 }]))
app.listen(4148)
