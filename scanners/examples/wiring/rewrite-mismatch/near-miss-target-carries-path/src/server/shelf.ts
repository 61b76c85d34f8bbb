import { Router } from 'express'

export const shelf = Router().get('/all', (_request, response) => { response.json(['Emma']) })
