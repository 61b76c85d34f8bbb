import express from 'express'
import { shelf } from './shelf.ts'

express().use('/rest/v3', shelf).listen(4185)
