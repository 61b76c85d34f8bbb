export const get = (path) => fetch('/api' + path).then((r) => r.json());
