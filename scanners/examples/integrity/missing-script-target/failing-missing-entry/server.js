require('express')().listen(4841)
