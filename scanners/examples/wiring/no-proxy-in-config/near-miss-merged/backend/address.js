export const API_PORT = 4150
export const API = `http://localhost:${API_PORT}`
