import express from 'express'
express().get('/api/goods', (req, res) => { res.json(['tea']) }).listen(4406)
