export const API_BASE_URL = 'http://localhost:4160/api'
