import { createApp } from 'vue'
import Compost from './Compost.vue'

createApp(Compost).mount('#app')
