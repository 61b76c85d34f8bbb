import express from 'express'
express().get('/api/gigs', (req, res) => res.json(['Friday'])).listen(4263)
