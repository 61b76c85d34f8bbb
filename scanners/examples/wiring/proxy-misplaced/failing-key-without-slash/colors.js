import express from 'express'
express().get('/api/colors', (req, res) => res.json(['teal'])).listen(4233)
