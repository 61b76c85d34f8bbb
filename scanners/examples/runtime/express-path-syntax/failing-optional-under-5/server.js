import { Router } from 'express'
import express from 'express'

const books = Router()
books.get('/:page?', (req, res) => res.json(req.params))
express().use('/books', books).listen(4882)
