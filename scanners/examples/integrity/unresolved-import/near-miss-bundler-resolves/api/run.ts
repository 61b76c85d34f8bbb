import express from 'express'
import { beads } from './beads.js'

express().get('/beads', (_, res) => { res.json(beads) }).listen(4812)
