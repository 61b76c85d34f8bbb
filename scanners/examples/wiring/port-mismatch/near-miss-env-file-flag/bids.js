import express from 'express'
express().get('/api/bids', (req, res) => res.json([5])).listen(process.env.BID_PORT ?? 4496)
