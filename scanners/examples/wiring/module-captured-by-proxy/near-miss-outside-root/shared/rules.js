export const tooLong = (text, limits) => text.length > limits.text
