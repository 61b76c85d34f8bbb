import express from 'express'
const app = express()
app.get('/v1/auth/me', (req, res) => res.json({ name: 'Jo' }))
app.listen(4252)
