import express from 'express'

express().get('/heat', (_, r) => r.json(1)).listen(process.env.PORT || 4862)
