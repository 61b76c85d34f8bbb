import express from 'express'
express().get('/api/parks', (req, res) => res.json(['North'])).listen(4267)
