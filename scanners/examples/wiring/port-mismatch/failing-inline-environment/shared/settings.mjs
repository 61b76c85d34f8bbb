export const port = Number.parseInt(process.env.PORT ?? '4124', 10)
export const origin = `http://localhost:${port}`
