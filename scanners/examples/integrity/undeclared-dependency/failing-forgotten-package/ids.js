import express from 'express'
import { nanoid } from 'nanoid'

express().post('/ids', (req, res) => res.json(nanoid())).listen(4821)
