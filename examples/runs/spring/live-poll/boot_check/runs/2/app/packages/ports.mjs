export const BACKEND_PORT = 4818;
export const FRONTEND_PORT = 5118;
