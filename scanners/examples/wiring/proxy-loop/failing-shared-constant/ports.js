export const UI_PORT = 5372
export const API_PORT = 4272
