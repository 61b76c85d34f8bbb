export { default } from './config/development.js'
