import express from 'express'
express().get('/pages', (req, res) => { res.json(['home']) }).listen(4440)
