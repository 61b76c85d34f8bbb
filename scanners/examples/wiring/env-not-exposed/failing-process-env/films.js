import express from 'express'
import cors from 'cors'
express().use(cors()).get('/films', (req, res) => res.json(['Ran'])).listen(4283)
