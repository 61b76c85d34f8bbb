import { Router } from 'express'
const router = Router()
router.get('/', (req, res) => res.json([{ subject: 'Maths' }]))
export default router
