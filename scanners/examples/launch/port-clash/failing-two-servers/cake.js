import express from 'express'

express().get('/cake', (_, r) => r.json(1)).listen(4861)
