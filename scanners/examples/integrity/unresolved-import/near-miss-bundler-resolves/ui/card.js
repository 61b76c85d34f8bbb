export const card = (name) => new Text(name)
