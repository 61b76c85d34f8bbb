import { Router } from 'express'

export const router = Router()
router.get('/feed', (_req, res) => { res.json([{ title: 'Hello', read: false }]) })
