const app = require('express')()
app.use(require('cors')())
app.get('/api/quotes', (req, res) => res.json({ text: 'Festina lente' }))
app.listen(4144)
