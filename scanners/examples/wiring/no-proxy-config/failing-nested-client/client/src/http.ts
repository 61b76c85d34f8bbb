const baseURL = '/api'

export const http = {
  get: async <T>(path: string): Promise<T> => {
    const response = await fetch(`${baseURL}${path}`)
    return response.json() as Promise<T>
  },
}
