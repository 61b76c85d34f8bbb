import express from 'express'
express().get('/api/clues', (req, res) => res.json(['1 across'])).listen(process.env.PORT || 4495)
