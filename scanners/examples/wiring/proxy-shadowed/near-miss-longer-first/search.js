import express from 'express'
express().get('/api/search', (req, res) => res.json({ hits: [req.query.q] })).listen(4256)
