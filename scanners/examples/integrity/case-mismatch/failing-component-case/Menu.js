export const dishes = ['soup']
