export const title = 'Home'
