import express from 'express'
import { port, origin } from '../shared/settings.mjs'

const app = express()
app.all('/graphql', (req, res) => { res.json({ data: { films: ['Ran'] } }) })
app.listen(port, () => console.log(origin))
