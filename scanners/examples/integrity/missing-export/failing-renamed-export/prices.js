export const prices = [3, 4]
