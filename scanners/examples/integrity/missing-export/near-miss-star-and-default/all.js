export * from './wool.js'
export { default as shade } from './shade.js'
