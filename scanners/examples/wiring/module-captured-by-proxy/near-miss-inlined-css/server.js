import express from 'express'
express().get('/theme/current', (req, res) => res.json({ theme: 'dark' })).listen(4401)
