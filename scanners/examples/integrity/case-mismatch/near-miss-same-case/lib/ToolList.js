export const ToolList = ['awl']
