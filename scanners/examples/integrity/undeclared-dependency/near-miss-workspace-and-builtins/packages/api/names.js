export const names = ['quince']
