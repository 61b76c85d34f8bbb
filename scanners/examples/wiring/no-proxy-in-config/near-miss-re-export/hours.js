import express from 'express'
express().get('/api/hours', (req, res) => res.json([8])).listen(4433)
