import express from 'express'
express().get('/api/orders', (req, res) => res.json([1, 2])).listen(4255)
