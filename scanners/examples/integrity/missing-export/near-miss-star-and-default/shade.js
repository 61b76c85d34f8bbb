export default 'moss'
