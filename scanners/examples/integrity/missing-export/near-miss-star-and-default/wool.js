export const wool = 'merino'
