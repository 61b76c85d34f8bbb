import express from 'express'
express().get('/api/lines', (req, res) => { res.json(['Rose']) }).listen(4432)
