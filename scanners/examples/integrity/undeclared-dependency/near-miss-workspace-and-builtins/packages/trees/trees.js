export const trees = ['apple']
