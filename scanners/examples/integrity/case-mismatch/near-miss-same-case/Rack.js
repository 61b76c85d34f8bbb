import { ToolList } from './lib/ToolList.js'

console.log(ToolList)
