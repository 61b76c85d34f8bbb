export const PORT = 4165
