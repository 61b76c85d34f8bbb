import express from 'express'

const app = express()
app.get(/^\/old\/.*/, (req, res) => res.redirect('/'))
app.get('/{*rest}', (req, res) => res.send('home'))
app.listen(4883)
