import express from 'express'

express().listen(4842)
