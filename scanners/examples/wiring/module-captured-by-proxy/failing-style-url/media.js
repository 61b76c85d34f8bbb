import express from 'express'
express().get('/media/index.json', (req, res) => res.json(['a.svg'])).listen(4441)
