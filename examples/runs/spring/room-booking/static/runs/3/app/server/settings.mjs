const env = process.env

export const settings = {
  port: Number(env.PORT ?? 3815),
  database: env.BOOKINGS_DB ?? './local/db/bookings',
}
